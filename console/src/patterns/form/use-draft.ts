import { useEffect, useEffectEvent, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { dropDraft, keepDraft, readDraft } from '../../session/drafts'
import { storable } from './storable'

/** What is typed is kept after a pause of this length. */
const pauseMs = 300

const isAlike = (one: unknown, other: unknown) =>
  one === null || other === null || (typeof one === typeof other && Array.isArray(one) === Array.isArray(other))

/** What was kept, where the form still has such a field. */
const withKept = (values: FieldValues, kept: FieldValues): FieldValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name in kept && isAlike(value, kept[name]) ? (kept[name] as unknown) : (value as unknown),
    ]),
  )

/**
 * Keeps what is typed into a form on this device, and offers it again where the form was left without being sent: by a
 * reload, or by a session that ended. `path`: its address; nothing is kept without one.
 * `hidden`: fields whose text is hidden on the screen.
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
    /** It was sent, or given up. */
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
