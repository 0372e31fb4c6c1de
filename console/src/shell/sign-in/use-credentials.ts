import { useEffect, useState } from 'react'
import { asProblem, isCancelled, type CallProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import type { Translate } from '../../i18n/use-t'

/** Remaining seconds until the next attempt is allowed. */
function useCountdown(): [number, (seconds: number) => void] {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(0)
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  useEffect(() => {
    if (left === 0) return
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [left])
  return [
    left,
    (seconds) => {
      setNow(Date.now())
      setUntil(Date.now() + seconds * 1000)
    },
  ]
}

/** Too many failed attempts or a busy server: the same request may be sent again after a while. */
const mustWait = ({ code }: CallProblem) => code === 'too_many_attempts' || code === 'server_busy'

/**
 * Submits credentials. Returns a single error text for all causes, and enforces the waiting time after too many
 * attempts.
 */
export function useCredentials(t: Translate<'shell'>, send: () => Promise<void>) {
  const [problem, setProblem] = useState<CallProblem>()
  const [isBusy, setBusy] = useState(false)
  const [waitSeconds, wait] = useCountdown()

  const fault =
    waitSeconds > 0
      ? t(problem?.code === 'server_busy' ? 'signIn.busy' : 'signIn.backOff', { seconds: waitSeconds })
      : problem === undefined || mustWait(problem)
        ? undefined
        : problem.code === 'wrong_credentials'
          ? t('signIn.wrong')
          : problem.code === 'no_project'
            ? t('signIn.noProject')
            : problemText(problem, t)

  return {
    fault,
    isBusy,
    isWaiting: waitSeconds > 0,
    submit: async () => {
      setBusy(true)
      setProblem(undefined)
      try {
        await send()
      } catch (thrown) {
        const found = asProblem(thrown)
        if (isCancelled(found)) return
        setProblem(found)
        if (mustWait(found)) wait(found.retryAfterSeconds ?? 1)
      } finally {
        setBusy(false)
      }
    },
  }
}
