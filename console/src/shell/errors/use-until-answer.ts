import { useEffect } from 'react'
import { call } from '../../api/call'
import { session } from '@mainstay/contract/identity/session'
import { rootPath } from '../../lib/root-path'

/** Polls the server every `everyMs` milliseconds and opens the start page once it responds. */
export function useUntilAnswer(everyMs: number) {
  useEffect(() => {
    const timer = setInterval(() => {
      call(session.panel, {}).then(
        () => location.assign(rootPath),
        () => {},
      )
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
