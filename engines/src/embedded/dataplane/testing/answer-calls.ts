import process from 'node:process'

/** Handles calls from `startDriver` in the child process, once `opened` has resolved. */
export function answerCalls<Opened>(
  opened: Promise<Opened>,
  answer: (opened: Opened, call: string, args: unknown[]) => Promise<unknown>,
): void {
  process.on('message', ({ id, call, args }: { id: number; call: string; args: unknown[] }) => {
    opened
      .then((there) => answer(there, call, args))
      .then(
        (value) => process.send?.({ id, value }),
        (error: Error) => process.send?.({ id, error: { name: error.constructor.name, message: error.message } }),
      )
  })
  process.on('disconnect', () => process.exit(0))
}
