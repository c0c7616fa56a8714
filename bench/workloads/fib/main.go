package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func fib(n int32) int32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	answer := fib(int32(n))
	fmt.Println(time.Since(start).Nanoseconds(), answer)
}
