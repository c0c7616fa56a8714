package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func primesUpTo(n int) int {
	composite := make([]bool, n+1)
	for i := 2; i*i <= n; i++ {
		if !composite[i] {
			for j := i * i; j <= n; j += i {
				composite[j] = true
			}
		}
	}
	primes := 0
	for i := 2; i <= n; i++ {
		if !composite[i] {
			primes++
		}
	}
	return primes
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	answer := primesUpTo(n)
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), answer)
}
