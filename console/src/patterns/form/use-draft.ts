import { useEffect, useEffectEvent, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { dropDraft, keepDraft, readDraft } from '../../session/drafts'
import { storable } from './storable'

/** Debounce interval for saving a draft. */
const pauseMs = 300

const isAlike = (one: unknown, other: unknown) =>
  one === null || other === null || (typeof one === typeof other && Array.isArray(one) === Array.isArray(other))

/** Restores draft values whose fields still exist in the form. */
const withKept = (values: FieldValues, kept: FieldValues): FieldValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name in kept && isAlike(value, kept[name]) ? (kept[name] as unknown) : (value as unknown),
    ]),
  )

/**
 * Saves form input on this device and offers it again if the user did not send the form, for example because of a
 * reload or an expired session. `path` is the path of the form; without it, nothing is saved. `hidden` contains the
 * masked fields.
 */
export function useDraft(
  form: UseFormReturn<FieldValues>,
  path: string | undefined,
  isOver: () => boolean,
  hidden: ReadonlySet<string>,
) {
  const { isDirty } = form.formState
  const [found, setFound] = useState(() => (path === undefined ? undefined : readDraft(path)))
  const save = useEffectEvent(() => {
    if (path !== undefined && isDirty && !isOver())
      keepDraft(path, storable(form.getValues(), hidden) as Record<string, unknown>)
  })
  useEffect(() => {
    if (path === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const saveNow = () => save()
    const end = form.subscribe({
      formState: { values: true },
      callback: () => {
        clearTimeout(timer)
        timer = setTimeout(saveNow, pauseMs)
      },
    })
    addEventListener('pagehide', saveNow)
    return () => {
      end()
      clearTimeout(timer)
      removeEventListener('pagehide', saveNow)
    }
  }, [form, path])

  const drop = () => {
    setFound(undefined)
    if (path !== undefined) dropDraft(path)
  }
  return {
    /** Call after the form has been sent or discarded. */
    drop,
    offer: found && {
      at: found.at,
      resume: () => {
        setFound(undefined)
        form.reset(withKept(form.getValues(), found.values), { keepDefaultValues: true })
      },
      discard: drop,
    },
  }
}
