package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func generate(to chan<- int) {
	for i := 2; ; i++ {
		to <- i
	}
}

func keepIndivisible(from <-chan int, to chan<- int, prime int) {
	for candidate := range from {
		if candidate%prime != 0 {
			to <- candidate
		}
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	candidates := make(chan int)
	go generate(candidates)
	prime := 0
	for i := 0; i < n; i++ {
		prime = <-candidates
		to := make(chan int)
		go keepIndivisible(candidates, to, prime)
		candidates = to
	}
	fmt.Println(time.Since(start).Nanoseconds(), prime)
}
