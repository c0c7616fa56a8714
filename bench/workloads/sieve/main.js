function primesUpTo(n) {
  const composite = new Uint8Array(n + 1);
  for (let i = 2; i * i <= n; i++) {
    if (!composite[i]) for (let j = i * i; j <= n; j += i) composite[j] = 1;
  }
  let primes = 0;
  for (let i = 2; i <= n; i++) if (!composite[i]) primes++;
  return primes;
}

const n = Number(process.argv[2]);
const start = process.hrtime.bigint();
const answer = primesUpTo(n);
console.log(`${Number(process.hrtime.bigint() - start) / n} ${answer}`);
