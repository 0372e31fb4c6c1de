import type { ReactNode, SyntheticEvent } from 'react'
import { Button } from '../../ui/Button'
import { Fault } from './Fault'
import type { useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

interface StepFormProps {
  sending: ReturnType<typeof useSteppedCredentials>
  /** Whether the form can be submitted; shows errors on incomplete fields. */
  isComplete: () => boolean
  /** Label of the submit button. */
  verb: string
  /** Explanation above the error and the fields. */
  intro?: ReactNode
  children: ReactNode
}

/** A form for one step of the sign-in: explanation, error from the last attempt, fields and submit button. */
export function StepForm({ sending, isComplete, verb, intro, children }: StepFormProps) {
  const { fault, isBusy, isWaiting, submit } = sending
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault()
        if (isComplete()) void submit()
      }}
    >
      {intro}
      <Fault>{fault}</Fault>
      {children}
      <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
        {verb}
      </Button>
    </form>
  )
}
