import type { ReactNode, SyntheticEvent } from 'react'
import { Button } from '../../ui/Button'
import { Fault } from './Fault'
import type { useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

interface StepFormProps {
  sending: ReturnType<typeof useSteppedCredentials>
  /** Whether it can be sent; what is missing shows at its field. */
  isComplete: () => boolean
  /** The button. */
  verb: string
  /** What is asked for, above a refusal. */
  intro?: ReactNode
  children: ReactNode
}

/** What a sign-in asks for, the refusal of the last attempt, the fields and the button to go on. */
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
