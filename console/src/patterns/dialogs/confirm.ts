import type { ReactNode } from 'react'
import { create } from 'zustand'
import { isDryRun, unanswered } from '../../api/dry-run'

export interface Question {
  title: string
  /** Explains the consequences. */
  text?: ReactNode
  /** Button label: a verb and its object. */
  verb: string
  isDanger?: boolean | undefined
  /** Text to type before the button is enabled, for actions that cannot be undone. */
  typed?: string | undefined
  /** Runs while the dialog stays open; a failure is shown in the dialog. Cancel aborts the signal. */
  run?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** Keeps the button disabled after a failure, because a retry cannot help. */
  isOverAfterError?: boolean | undefined
  /** Why confirmation is currently not possible. */
  disabledBecause?: string | undefined
}

interface Asked extends Question {
  answer: (isConfirmed: boolean) => void
}

export const useQuestion = create<{ asked: Asked | undefined }>()(() => ({ asked: undefined }))

/**
 * Disables the confirm button of the open question, or enables it again, depending on a choice in the question's text.
 */
export const barQuestion = (disabledBecause: string | undefined) =>
  useQuestion.setState(({ asked }) => ({ asked: asked && { ...asked, disabledBecause } }))

/** Asks for confirmation. Resolves with true if it is given (and `run` succeeds), otherwise with false. */
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
