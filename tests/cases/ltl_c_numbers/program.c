extern _Bool __VERIFIER_nondet_bool(void);
unsigned char level;

void fill(void) {
  if (level < 3) level++;
}

int main(void) {
  while (1) {
    if (__VERIFIER_nondet_bool()) fill();
    else if (level > 0 && level < 3) level--;
  }
}
