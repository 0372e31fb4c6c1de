import type { ReactNode } from 'react'
import { bytesToGib, gibToBytes } from '@mainstay/contract/core/bytes'
import { MAX_VOLUME_BYTES } from '@mainstay/contract/storage/volumes'
import { SizeField } from '../../../patterns/form/SizeField'
import { typedGib } from './typed-gib'

const whole = { maximumFractionDigits: 0 }

interface VolumeSizeFieldProps {
  label: string
  help?: ReactNode
  leastBytes: number
  autoFocus?: boolean
  /** With every digit, before the field is left; null while it is empty. */
  onTyping: (bytes: number | null) => void
}

/** The size of a volume, in GiB; says what is wrong instead of changing what was typed. */
export function VolumeSizeField({ label, help, leastBytes, autoFocus = false, onTyping }: VolumeSizeFieldProps) {
  return (
    <div
      onInput={({ target }) => {
        const gib = typedGib((target as HTMLInputElement).value)
        onTyping(gib === null ? null : gibToBytes(gib))
      }}
    >
      <SizeField
        name="size"
        label={label}
        help={help}
        minValue={bytesToGib(leastBytes)}
        maxValue={bytesToGib(MAX_VOLUME_BYTES)}
        commitBehavior="validate"
        formatOptions={whole}
        autoFocus={autoFocus}
      />
    </div>
  )
}
