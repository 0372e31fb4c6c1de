import { useEffect } from 'react'
import { call } from '../../api/call'
import { session } from '@mainstay/contract/identity/session'
import { rootPath } from '../../lib/root-path'

/** Asks the server at an interval, and goes home when it answers again. */
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
