import type { FieldValues, UseFormReturn } from 'react-hook-form'
import type { CallProblem } from '../../api/problem'

/**
 * Puts what the server said about fields onto those fields, and gives back what is about none of them. `has`: whether
 * the form has a field of this name.
 */
export function placeServerErrors<Values extends FieldValues>(
  problem: CallProblem,
  form: Pick<UseFormReturn<Values>, 'setError'>,
  has: (name: string) => boolean,
): string[] {
  const elsewhere: string[] = []
  for (const [name, messages] of Object.entries(problem.fields)) {
    const text = messages.join(' ')
    if (has(name)) form.setError(name as never, { type: 'server', message: text })
    else elsewhere.push(name ? `${name}: ${text}` : text)
  }
  return elsewhere
}

/** Moves the focus to the first field that is wrong, and the field into view. */
export function focusFirstError(within: HTMLElement | null) {
  const invalid = within?.querySelector<HTMLElement>(
    '[aria-invalid="true"], [data-invalid] :is(input, textarea, button)',
  )
  invalid?.focus({ preventScroll: true })
  invalid?.scrollIntoView({ block: 'center' })
}
