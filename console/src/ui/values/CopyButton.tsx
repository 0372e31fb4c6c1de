import { useEffect, useRef, useState } from 'react'
import { copyText } from '../../lib/copy-text'
import { Button } from '../Button'
import { IconButton } from '../IconButton'
import { CheckIcon, CopyIcon } from '../icons'
import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'

export interface CopyButtonProps {
  /** The text to copy. */
  value: string
  /** Describes the value in the accessible name, if the value itself is too long to be read out. */
  called?: string | undefined
  /** Button text ("Copy details"). Without it, the button is an icon named after the value. */
  children?: string | undefined
  size?: 'normal' | 'small' | undefined
}

/** Copies a value and confirms it for two seconds. */
export function CopyButton({ value, called = value, children, size = 'small' }: CopyButtonProps) {
  const text = useUiText()
  const [result, setResult] = useState<'copied' | 'copyFailed' | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async () => {
    setResult((await copyText(value)) ? 'copied' : 'copyFailed')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setResult(null), 2000)
  }

  const icon = result === 'copied' ? CheckIcon : CopyIcon
  return (
    <>
      {children === undefined ? (
        <IconButton
          icon={icon}
          label={result ? text(result) : text('copyValue', { value: called })}
          size={size}
          onPress={() => void copy()}
        />
      ) : (
        <Button icon={icon} size={size} onPress={() => void copy()}>
          {result ? text(result) : children}
        </Button>
      )}
      <output>{result && <VisuallyHidden>{text(result)}</VisuallyHidden>}</output>
    </>
  )
}
