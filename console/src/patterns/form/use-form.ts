import { useEffect, useRef, useState, type SyntheticEvent } from 'react'
import { useBlocker } from '@tanstack/react-router'
import { useForm as useHookForm, type DefaultValues, type FieldValues, type UseFormReturn } from 'react-hook-form'
import type * as z from 'zod'
import { asProblem, isCancelled, type CallProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import { textsNow, useT } from '../../i18n/use-t'
import { dryRun, type DryCall } from '../../api/dry-run'
import { guardLeaving } from '../../notices/leave-guard'
import { sessionNow } from '../../session/session'
import { confirm } from '../dialogs/confirm'
import { schemaChecks } from './schema-checks'
import { focusFirstError, placeServerErrors } from './server-errors'
import { useDraft } from './use-draft'
import { withPlaceholders } from './with-placeholders'

export interface FormOptions<Schema extends z.ZodType<unknown, FieldValues>, Reply = unknown> {
  /** The contract's schema, so that form and server apply the same validation. */
  schema: Schema
  start: z.input<Schema>
  /** Sends the values; a rejection is shown in the form. */
  send: (values: z.output<Schema>) => Promise<Reply>
  /** Called after success; leaving the form no longer needs confirmation. */
  done: (reply: Reply) => void
  /** Path prefix of the form's own pages, such as its steps. */
  within?: string | undefined
  /** Path of the form, if its input should be saved on this device until it is sent or discarded. */
  draftAt?: string | undefined
}

/** Delay of validation errors while the user types (S1§9). */
export const errorDelayMs = 350

const askDiscard = () => {
  const t = textsNow('patterns')
  return confirm({
    title: t('form.discardTitle'),
    text: t('form.discardText'),
    verb: t('form.discard'),
    isDanger: true,
  })
}

/** Form state with validation by a schema, saved drafts, and errors from the server. */
export function useForm<Schema extends z.ZodType<unknown, FieldValues>, Reply>(options: FormOptions<Schema, Reply>) {
  const { schema, start, send, done, within, draftAt } = options
  const shell = useT('shell')
  useT('patterns')
  const element = useRef<HTMLFormElement>(null)
  const isOver = useRef(false)
  const isChecked = useRef(false)
  const [hidden] = useState(() => new Set<string>())
  const [problem, setProblem] = useState<{ problem: CallProblem; elsewhere: string[] }>()
  const form: UseFormReturn = useHookForm({
    resolver: schemaChecks(schema, (name) => {
      const { isTouched, invalid } = form.getFieldState(name)
      return isTouched || invalid
    }),
    defaultValues: start as DefaultValues<FieldValues>,
    mode: 'onTouched',
    delayError: errorDelayMs,
    // `focusFirstError` handles every kind of field
    shouldFocusError: false,
  })
  const { isDirty, isSubmitting } = form.formState
  const draft = useDraft(form, draftAt, () => isOver.current, hidden)
  const askToLeave = async () => {
    const isGivenUp = await askDiscard()
    if (isGivenUp) draft.drop()
    return isGivenUp
  }

  useEffect(() => (isDirty ? guardLeaving() : undefined), [isDirty])
  useBlocker({
    enableBeforeUnload: false,
    shouldBlockFn: async ({ next }) => {
      if (isOver.current || !isDirty || (within && next.pathname.startsWith(within))) return false
      // the session has ended, so there is no user to ask
      if (sessionNow().status === 'signed-out') return false
      return !(await askToLeave())
    },
  })

  async function sendValues(values: FieldValues) {
    setProblem(undefined)
    let reply: Reply
    try {
      reply = await send(values as z.output<Schema>)
    } catch (thrown) {
      if (isCancelled(thrown)) return
      const found = asProblem(thrown)
      const has = (name: string) => name !== '' && name.split('.')[0]! in (start as object)
      const elsewhere = placeServerErrors(found, form, has)
      const isOnFieldsOnly = Object.keys(found.fields).length > 0 && elsewhere.length === 0
      if (!isOnFieldsOnly) setProblem({ problem: found, elsewhere })
      focusFirstError(element)
      return
    }
    isOver.current = true
    draft.drop()
    done(reply)
  }
  const showFirstError = () => focusFirstError(element)

  return {
    form,
    element,
    isBusy: isSubmitting,
    isDirty,
    submit: (event?: SyntheticEvent) => {
      event?.preventDefault()
      // a form over another form must not submit the form behind it
      event?.stopPropagation()
      // ignores further submits during validation and sending
      if (isChecked.current) return
      isChecked.current = true
      void form
        .handleSubmit(sendValues, showFirstError)()
        .finally(() => {
          isChecked.current = false
        })
    },
    /** The first calls that submitting would make; nothing is sent. Missing input appears as `<name>`. */
    dryCalls: (): DryCall[] => {
      const values = form.getValues()
      try {
        const parsed = schema.safeParse(values)
        return dryRun(() =>
          send(parsed.success ? parsed.data : (withPlaceholders(values, parsed.error.issues) as never)),
        )
      } catch {
        return []
      }
    },
    /** For dialogs without a path: asks whether the input may be discarded. */
    mayClose: async () => !isDirty || isOver.current || (await askToLeave()),
    /** The unsent draft of this form, if any. */
    draft: draft.offer,
    /** Names of the masked fields; password fields register themselves. */
    hidden,
    /** Error messages that do not belong to a field. */
    faults: problem && [problemText(problem.problem, shell), ...problem.elsewhere],
    requestId: problem?.problem.requestId,
  }
}
