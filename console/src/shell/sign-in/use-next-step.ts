import { useState } from 'react'
import type { Translate } from '../../i18n/use-t'
import { nextStepOf, type NextStep } from '../../session/next-step'
import { useCredentials } from './use-credentials'

/** Like `useCredentials`, but calls `next` if the sign-in requires another step. */
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

/** The current step of a sign-in after the password. */
export const useNextStep = () => useState<NextStep>()
