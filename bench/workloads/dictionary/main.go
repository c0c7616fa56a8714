package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func key(i int64) int64 { return i * 2654435761 % 4294967296 }

func insertAndLookUp(n int) int64 {
	table := map[int64]int{}
	for i := 0; i < n; i++ {
		table[key(int64(i))] = i
	}
	var sum int64
	for i := 0; i < n; i++ {
		sum += int64(table[key(int64(i))])
	}
	return sum
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	answer := insertAndLookUp(n)
	fmt.Println(float64(time.Since(start).Nanoseconds())/float64(n), answer)
}
