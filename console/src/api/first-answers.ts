import { useEffect, useState } from 'react'
import { queryClient } from './query-client'

/** Maximum time to wait, which applies to pages without requests and to slow servers. */
export const longestWaitMs = 2000

/** Time for the rows to render and start their own requests. */
export const quietMs = 50

/**
 * Calls `run` once the first page has received all its responses: at least one request was made and none is pending.
 * Used to defer code that the first page does not need (the socket, notifications). Returns a function that cancels it.
 */
export function afterFirstAnswers(run: () => void): () => void {
  const cache = queryClient.getQueryCache()
  let quiet: ReturnType<typeof setTimeout> | undefined
  const isAnswered = () =>
    queryClient.isFetching() === 0 && cache.getAll().some(({ state: { status } }) => status !== 'pending')
  const callOff = () => {
    clearTimeout(quiet)
    clearTimeout(limit)
    unsubscribe()
  }
  const go = () => {
    callOff()
    run()
  }
  const look = () => {
    clearTimeout(quiet)
    if (isAnswered()) quiet = setTimeout(go, quietMs)
  }
  const limit = setTimeout(go, longestWaitMs)
  const unsubscribe = cache.subscribe(look)
  look()
  return callOff
}

/** Whether the first page has received all its responses; see `afterFirstAnswers`. */
export function useFirstAnswers(): boolean {
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => afterFirstAnswers(() => setAnswered(true)), [])
  return isAnswered
}
