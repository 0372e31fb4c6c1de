import type { ReactNode } from 'react'
import { create } from 'zustand'
import { isDryRun, unanswered } from '../../api/dry-run'

export interface Question {
  title: string
  /** What follows from it. */
  text?: ReactNode
  /** The button: a verb with its object. */
  verb: string
  isDanger?: boolean | undefined
  /** Has to be typed before the button can be pressed: for what cannot be made good again. */
  typed?: string | undefined
  /** Runs while the dialog stays; what fails is shown in it. With a signal it can be broken off. */
  run?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** After a failure the button stays out of reach: trying again cannot help. */
  isOverAfterError?: boolean | undefined
  /** Why it cannot be confirmed now. */
  disabledBecause?: string | undefined
}

interface Asked extends Question {
  answer: (isConfirmed: boolean) => void
}

export const useQuestion = create<{ asked: Asked | undefined }>()(() => ({ asked: undefined }))

/** Asks before something is done. Resolves true when it was confirmed (and `run` succeeded), false when not. */
export const confirm = (question: Question): Promise<boolean> => {
  if (isDryRun()) return unanswered()
  return new Promise((resolve) => {
    useQuestion.getState().asked?.answer(false)
    useQuestion.setState({
      asked: {
        ...question,
        answer: (isConfirmed) => {
          useQuestion.setState({ asked: undefined })
          resolve(isConfirmed)
        },
      },
    })
  })
}
