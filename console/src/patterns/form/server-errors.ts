import type { RefObject } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import type { CallProblem } from '../../api/problem'

/**
 * Assigns server errors to their fields and returns the messages that do not belong to a field. `has` tells whether the
 * form has a field with that name.
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

/** Animation frames to wait for React to render the errors: half a second. */
const MOST_FRAMES = 30

/** Focuses the first invalid field and scrolls it into view, once it is rendered as invalid. */
export function focusFirstError(form: RefObject<HTMLElement | null>, framesLeft = MOST_FRAMES): void {
  requestAnimationFrame(() => {
    const invalid = form.current?.querySelector<HTMLElement>(
      '[aria-invalid="true"], [data-invalid] :is(input, textarea, button)',
    )
    if (invalid) {
      invalid.focus({ preventScroll: true })
      invalid.scrollIntoView({ block: 'center' })
    } else if (framesLeft > 0) focusFirstError(form, framesLeft - 1)
  })
}
