/** Limits the number of tasks that run at the same time, and starts them in the order in which they arrived. */
export class Turns {
  private readonly waiting: (() => void)[] = []
  private free: number

  constructor(most: number) {
    this.free = most
  }

  async take(task: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      await task()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free += 1
    }
  }
}
