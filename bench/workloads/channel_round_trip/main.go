package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func echo(there <-chan int, back chan<- int) {
	for value := range there {
		back <- value + 1
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	there, back := make(chan int), make(chan int)
	go echo(there, back)
	start := time.Now()
	sum := 0
	for i := 0; i < n; i++ {
		there <- i
		sum += <-back
	}
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), sum)
}
