import { useState } from 'react'
import type { Translate } from '../../i18n/use-t'
import { nextStepOf, type NextStep } from '../../session/next-step'
import { useCredentials } from './use-credentials'

/** Credentials that may not complete a sign-in: `next` hears what it lacks. */
export const useSteppedCredentials = (
  t: Translate<'shell'>,
  send: () => Promise<void>,
  next: (step: NextStep) => void,
) =>
  useCredentials(t, async () => {
    try {
      await send()
    } catch (thrown) {
      const step = nextStepOf(thrown)
      if (!step) throw thrown
      next(step)
    }
  })

/** The step that a sign-in is at, after the password. */
export const useNextStep = () => useState<NextStep>()
