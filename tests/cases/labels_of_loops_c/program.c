// A label of C is passed by who enters its statement: going round a loop does not.
int main(void) {
  int i = 0;
  goto IN;
ERROR:
  while (!i) {
  IN:
    i = 1;
  }
AGAIN:
BOTH:
  do {
    i++;
  } while (i < 3);
  if (i < 5) goto BOTH;
  return 0;
}
