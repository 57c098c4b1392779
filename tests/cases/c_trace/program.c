extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) {}
void assume(int cond) { if (!cond) abort(); }
struct point { short x, y; } p;
int bits(unsigned char n) { return n ? (n & 1) + bits(n >> 1) : 0; }
int main(void) {
  p.x = __VERIFIER_nondet_uchar();
  p.y = -6;
  assume(p.x + p.y > 200);
  if (bits(p.x) == 4) reach_error();
  return 0;
}
