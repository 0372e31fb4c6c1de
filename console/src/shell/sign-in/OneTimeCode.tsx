import { useState } from 'react'
import { useT } from '../../i18n/use-t'
import { TextField } from '../../ui/fields/TextField'

/** Minimum length of a code; recovery codes are longer. */
const FEWEST = 6

/** State of a code field with its error. */
export function useOneTimeCode() {
  const t = useT('account')
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string>()
  return {
    code,
    setCode,
    wrong,
    setWrong,
    /** Whether the code is long enough; shows an error on the field if it is not. */
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

/** The field for a code from an authenticator app. */
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
