package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func nothing(done chan<- struct{}) {
	close(done)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	ended := 0
	for i := 0; i < n; i++ {
		done := make(chan struct{})
		go nothing(done)
		<-done
		ended++
	}
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), ended)
}
