import { Button } from 'react-aria-components/Button'
import { CloseIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './Chip.module.css'

export interface ChipProps {
  /** The value: "error". */
  children: string
  /** Name of the value: "status". */
  name?: string | undefined
  /** Opens the options of a filter. */
  onPress?: (() => void) | undefined
  onRemove?: (() => void) | undefined
}

/** A filter or label with name and value on one line. Can be pressed and removed. */
export function Chip({ name, children, onPress, onRemove }: ChipProps) {
  const text = useUiText()
  const words = (
    <>
      {name !== undefined && <span className={css.name}>{name}:</span>} <bdi>{children}</bdi>
    </>
  )
  return (
    <span className={css.chip}>
      {onPress ? (
        <Button className={css.words ?? ''} onPress={onPress}>
          {words}
        </Button>
      ) : (
        <span className={css.words}>{words}</span>
      )}
      {onRemove && (
        <Button
          className={css.remove ?? ''}
          onPress={onRemove}
          aria-label={text('remove', { name: name === undefined ? children : `${name}: ${children}` })}
        >
          <CloseIcon />
        </Button>
      )}
    </span>
  )
}
