package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

const members = 1000

func member(from <-chan int, to, done chan<- int, number int) {
	for {
		hopsLeft := <-from
		if hopsLeft == 0 {
			done <- number
			return
		}
		to <- hopsLeft - 1
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	first, done := make(chan int), make(chan int)
	from := first
	for i := 1; i <= members; i++ {
		to := first
		if i < members {
			to = make(chan int)
		}
		go member(from, to, done, i)
		from = to
	}
	start := time.Now()
	first <- n
	last := <-done
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), last)
}
