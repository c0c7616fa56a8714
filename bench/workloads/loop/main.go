package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func sumOfSums(n int32) int64 {
	total := int64(0)
	for i := int32(0); i < n; i++ {
		inner := int64(0)
		for j := int32(0); j < n; j++ {
			inner += int64(j)
		}
		total += inner
	}
	return total
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	answer := sumOfSums(int32(n))
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n)/float64(n), answer)
}
