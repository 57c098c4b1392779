int seen[8];
int main(void) {
  for (int i = 0; i <= 8; i++)
    seen[i] = 1;
  return 0;
}
