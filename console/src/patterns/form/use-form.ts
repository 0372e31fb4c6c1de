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
  /** The contract's own: the server checks the same. */
  schema: Schema
  start: z.input<Schema>
  /** Sends it; what it rejects with is shown in the form. */
  send: (values: z.output<Schema>) => Promise<Reply>
  /** After it was sent; leaving no longer asks. */
  done: (reply: Reply) => void
  /** Addresses that belong to the form: its steps. */
  within?: string | undefined
  /** Its address, where what is typed is kept on this device until it is sent or given up. */
  draftAt?: string | undefined
}

/** Errors of validation wait for a pause in typing (S1§9). */
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

/** A form that checks with a schema, keeps what was typed until it is sent or given up, and shows the server's answer. */
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
    // focusFirstError does it for every kind of field
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
      // nobody is there who could be asked: the session has ended
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
      // a form drawn over another one must not send that one too
      event?.stopPropagation()
      // while it is checked, and while it is sent, another press adds nothing
      if (isChecked.current) return
      isChecked.current = true
      void form
        .handleSubmit(sendValues, showFirstError)()
        .finally(() => {
          isChecked.current = false
        })
    },
    /** The calls that sending would begin with; what is still to enter stands as `<name>`. Sends nothing. */
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
    /** For a dialog without an address of its own: asks before what was typed is given up. */
    mayClose: async () => !isDirty || isOver.current || (await askToLeave()),
    /** What was typed here before, and not sent. */
    draft: draft.offer,
    /** Names of the fields that hide what is typed: password fields put themselves there. */
    hidden,
    /** What is wrong beyond fields, for people. */
    faults: problem && [problemText(problem.problem, shell), ...problem.elsewhere],
    requestId: problem?.problem.requestId,
  }
}
