// Two threads of a driver take turns with a lock; the second forgets to take it if the device is busy.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) {}

int lock;

void take(void) {
  if (lock) { reach_error(); abort(); }
  lock = 1;
}

void give(void) {
  if (!lock) { reach_error(); abort(); }
  lock = 0;
}

int main(void) {
  unsigned char waiting = 0;
  while (1) {
    int request = __VERIFIER_nondet_int();
    switch (request) {
    case 1:
      take();
      waiting++;
      give();
      break;
    case 2:
      if (waiting < 3) take();
      give();
      break;
    }
  }
}
