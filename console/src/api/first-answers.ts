import { useEffect, useState } from 'react'
import { queryClient } from './query-client'

/** For pages that ask nothing, and for servers that take their time. */
export const longestWaitMs = 2000

/** Rows are drawn meanwhile, and what is asked for after them is under way. */
export const quietMs = 50

/**
 * Calls back once the first page has its answers: something was asked, and nothing is asked any more. What no first page
 * needs (the socket, notices) is fetched then, and not beside it. Returns what calls it off.
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

/** Whether the first page has its answers, as `afterFirstAnswers` calls back. */
export function useFirstAnswers(): boolean {
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => afterFirstAnswers(() => setAnswered(true)), [])
  return isAnswered
}
