package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func nap(done chan<- struct{}) {
	time.Sleep(10 * time.Second)
	close(done)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	sleepers := make([]chan struct{}, n)
	for i := range sleepers {
		sleepers[i] = make(chan struct{})
		go nap(sleepers[i])
	}
	ended := 0
	for _, done := range sleepers {
		<-done
		ended++
	}
	fmt.Println(float64((time.Since(start) - 10*time.Second).Nanoseconds())/float64(n), ended)
}
