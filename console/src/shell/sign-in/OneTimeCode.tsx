import { useState } from 'react'
import { useT } from '../../i18n/use-t'
import { TextField } from '../../ui/fields/TextField'

/** The fewest characters of a code; a recovery code has more. */
const FEWEST = 6

/** A code that is typed, and what is wrong with it. */
export function useOneTimeCode() {
  const t = useT('account')
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string>()
  return {
    code,
    setCode,
    wrong,
    setWrong,
    /** Says so at the field where there is none yet. */
    isComplete(): boolean {
      const isThere = code.trim().length >= FEWEST
      if (!isThere) setWrong(t('step.codeMissing'))
      return isThere
    },
  }
}

interface OneTimeCodeProps {
  typed: ReturnType<typeof useOneTimeCode>
  label: string
  help: string
}

/** The field of a code from an authenticator app. */
export const OneTimeCode = ({ typed: { code, setCode, wrong }, label, help }: OneTimeCodeProps) => (
  <TextField
    autoFocus
    label={label}
    help={help}
    value={code}
    onChange={setCode}
    autoComplete="one-time-code"
    spellCheck="false"
    error={wrong}
  />
)
