package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

func yieldTimes(n int, result chan<- int) {
	done := 0
	for i := 0; i < n; i++ {
		runtime.Gosched()
		done++
	}
	result <- done
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	result := make(chan int, 2)
	start := time.Now()
	go yieldTimes(n/2, result)
	yieldTimes(n/2, result)
	switches := <-result + <-result
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), switches)
}
