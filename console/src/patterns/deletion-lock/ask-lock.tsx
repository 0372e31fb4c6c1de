import { useState } from 'react'
import { MAX_LOCK_REASON, type DeletionLock } from '@mainstay/contract/core/deletion-locks'
import type { Key } from '../../i18n/catalogues'
import { loadTexts, textsNow, useT } from '../../i18n/use-t'
import { TextField } from '../../ui/fields/TextField'
import { confirm } from '../dialogs/confirm'
import css from './ask-lock.module.css'
import { LockWords } from './LockWords'

interface Asked {
  /** Key prefix of the resource's strings: "instances". */
  words: string
  name: string
}

const titleOf = (act: 'lock' | 'unlock', { words, name }: Asked) =>
  textsNow('locks')(`${act}.title.${words}` as Key<'locks'>, { name })

/** Asks for a reason and locks an object against deletion. Resolves to true if it was locked. */
export async function askLock(asked: Asked, run: (reason: string, signal: AbortSignal) => Promise<unknown>) {
  await loadTexts('locks')
  const t = textsNow('locks')
  let reason = ''
  return confirm({
    title: titleOf('lock', asked),
    text: <Reason onChange={(text) => (reason = text.trim())} />,
    verb: t('lock.verb'),
    run: (signal) => run(reason, signal),
  })
}

/** Asks for confirmation before removing a lock, showing who set it and why. Resolves to true if it was removed. */
export async function askUnlock(
  asked: Asked,
  lock: DeletionLock,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  await loadTexts('locks')
  const t = textsNow('locks')
  return confirm({
    title: titleOf('unlock', asked),
    text: (
      <div className={css.parts}>
        <p>{t('unlock.text')}</p>
        <LockWords lock={lock} />
      </div>
    ),
    verb: t('unlock.verb'),
    run,
  })
}

function Reason({ onChange }: { onChange: (text: string) => void }) {
  const t = useT('locks')
  const [text, setText] = useState('')
  const set = (next: string) => {
    setText(next)
    onChange(next)
  }
  return (
    <div className={css.parts}>
      <p>{t('lock.text')}</p>
      <TextField
        label={t('lock.reason')}
        isOptional
        help={t('lock.reasonHelp')}
        value={text}
        onChange={set}
        maxLength={MAX_LOCK_REASON}
      />
    </div>
  )
}
