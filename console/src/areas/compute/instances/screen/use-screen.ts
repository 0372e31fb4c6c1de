import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { instances } from '@mainstay/contract/compute/instances'
import { call } from '../../../../api/call'
import { asProblem, isCancelled } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { textsNow } from '../../../../i18n/use-t'
import { rootPath } from '../../../../lib/root-path'
import type { Scaling, Screen } from './screen'
import { screenAddress } from './screen-address'

export type ScreenState =
  | { of: 'connecting' }
  | { of: 'connected' }
  /** It broke off; the next attempt is made at `retryAt`. */
  | { of: 'disconnected'; retryAt: number }
  /** Trying again by itself cannot help; `message` says why. */
  | { of: 'error'; message: string }

/** 1, 2, 4 ... 30 seconds. */
export const retryDelayMs = (attempt: number) => Math.min(30_000, 1000 * 2 ** Math.max(0, attempt - 1))

const hopeless = new Set(['forbidden', 'not-found', 'unauthorized'])

interface Options {
  id: string
  target: RefObject<HTMLElement | null>
  /** Without it no connection is tried or kept. */
  isWanted: boolean
  scaling: Scaling
}

/** Keeps a screen open: a fresh ticket for each attempt (they live a minute and are spent by use), with back-off between them. */
export function useScreen({ id, target, isWanted, scaling }: Options) {
  const [state, setState] = useState<ScreenState>({ of: 'connecting' })
  const [round, setRound] = useState(0)
  const screen = useRef<Screen>(undefined)
  const failures = useRef(0)
  const wantedScaling = useRef(scaling)

  useEffect(() => {
    wantedScaling.current = scaling
    screen.current?.setScaling(scaling)
  }, [scaling])

  useEffect(() => {
    const element = target.current
    if (!isWanted || !element) return
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let opened: Screen | undefined

    const retry = () => {
      if (abort.signal.aborted) return
      const delay = retryDelayMs(++failures.current)
      setState({ of: 'disconnected', retryAt: Date.now() + delay })
      timer = setTimeout(() => setRound((count) => count + 1), delay)
    }

    async function open(into: HTMLElement) {
      const [ticket, { openScreen }] = await Promise.all([
        call(instances.console, { params: { id } }, { signal: abort.signal }),
        import('./screen'),
      ])
      if (abort.signal.aborted) return
      opened = openScreen(into, screenAddress(ticket, location, rootPath), {
        connected: () => {
          failures.current = 0
          opened?.setScaling(wantedScaling.current)
          screen.current = opened
          setState({ of: 'connected' })
        },
        ended: (reason) => {
          screen.current = undefined
          if (abort.signal.aborted) return
          if (reason === undefined) retry()
          else setState({ of: 'error', message: reason })
        },
      })
    }

    open(element).catch((thrown: unknown) => {
      if (isCancelled(thrown) || abort.signal.aborted) return
      const problem = asProblem(thrown)
      if (hopeless.has(problem.kind) || problem.code === 'console_unavailable')
        setState({ of: 'error', message: problemText(problem, textsNow('shell')) })
      else retry()
    })
    return () => {
      abort.abort()
      clearTimeout(timer)
      screen.current = undefined
      opened?.close()
      // what comes next begins anew, be it at once or when there is a screen again
      setState({ of: 'connecting' })
    }
  }, [id, target, isWanted, round])

  const reconnect = useCallback(() => {
    failures.current = 0
    setRound((count) => count + 1)
  }, [])
  return { state, screen, reconnect }
}
