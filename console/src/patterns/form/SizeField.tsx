import { bytesToGib, gibToBytes } from '@mainstay/contract/core/bytes'
import { NumberField, type NumberFieldProps } from '../../ui/fields/NumberField'
import { useBound } from './use-bound'

/** A size entered in GiB and sent in bytes (S2§5). */
export function SizeField(
  props: Omit<NumberFieldProps, 'value' | 'onChange' | 'error' | 'isDisabled' | 'unit'> & { name: string },
) {
  const { value, onChange, ...bound } = useBound<number | null>(props.name)
  return (
    <NumberField
      minValue={1}
      {...props}
      {...bound}
      unit="GiB"
      value={value === null || value === undefined ? null : bytesToGib(value)}
      onChange={(gib) => onChange(gib === null ? null : gibToBytes(gib))}
    />
  )
}
