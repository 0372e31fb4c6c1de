import { Suspense, lazy, useId, useRef, type ReactElement, type ReactNode, type RefObject } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { buttonClass, type ButtonLook } from './button-class'
import type { Icon } from './icons'
import { Spinner } from './feedback/Spinner'
import { useUiText } from './ui-text'
import { useHint } from './overlays/use-hint'
import { VisuallyHidden } from './VisuallyHidden'
import css from './Button.module.css'

// Loaded lazily, because the tooltip requires the overlay positioning code, and no page should wait for it.
const Hint = lazy(() => import('./overlays/Hint').then(({ Hint: component }) => ({ default: component })))

export interface ButtonProps
  extends
    ButtonLook,
    Omit<
      AriaButtonProps,
      | 'children'
      | 'className'
      | 'isPending'
      | 'render'
      | 'isDisabled'
      | 'onHoverStart'
      | 'onHoverEnd'
      | 'onFocus'
      | 'onBlur'
    > {
  /** A verb with an object: "Delete 3 volumes". */
  children?: ReactNode
  icon?: Icon | undefined
  className?: string | undefined
  /** Covers the label with a spinner and ignores presses; the width stays the same. */
  isBusy?: boolean | undefined
  /** Disables the button without an explanation. Prefer `disabledBecause`. */
  isDisabled?: boolean | undefined
  /** Why the button is disabled. It stays in the tab order and shows the reason on hover, focus and press. */
  disabledBecause?: string | ReactElement | undefined
  /** Called on a press while the button is disabled, instead of showing the reason, to give a longer explanation. */
  onBarredPress?: (() => void) | undefined
  /** Tooltip on hover and keyboard focus. `IconButton` shows its label this way. */
  hint?: string | undefined
  hintPlacement?: 'top' | 'bottom' | 'start' | 'end' | undefined
  ref?: RefObject<HTMLButtonElement | null> | undefined
}

export function Button({
  variant,
  size,
  icon: ButtonIcon,
  children,
  className,
  isBusy = false,
  isDisabled = false,
  disabledBecause,
  onBarredPress,
  hint,
  hintPlacement,
  ref,
  ...rest
}: ButtonProps) {
  const text = useUiText()
  const own = useRef<HTMLButtonElement>(null)
  const button = ref ?? own
  const reasonId = useId()
  const reason = isBusy ? undefined : disabledBecause
  const bubble = useHint(reason !== undefined)
  const words = reason ?? hint

  // Disabled for the user but not in the DOM: the button keeps the focus and its place in the tab order, ignores
  // presses and does not submit a form.
  const barred: Partial<AriaButtonProps> = {
    type: 'button',
    render: (props) => <button {...props} aria-disabled="true" aria-busy={isBusy || undefined} />,
    onPress: () => reason !== undefined && (onBarredPress ?? bubble.show)(),
    onPressStart: () => {},
    onPressEnd: () => {},
  }
  const hinted: Partial<AriaButtonProps> = {
    ...bubble.on,
    onKeyDown: (event) => {
      if (event.key === 'Escape' && bubble.isOpen) return bubble.hide()
      rest.onKeyDown?.(event)
      event.continuePropagation()
    },
    onPressStart: (event) => {
      bubble.hide()
      rest.onPressStart?.(event)
    },
  }

  return (
    <>
      <AriaButton
        {...rest}
        ref={button}
        isDisabled={isDisabled && reason === undefined}
        className={buttonClass({ variant, size }, isBusy ? css.busy : undefined, className)}
        {...(words !== undefined && hinted)}
        {...((isBusy || reason !== undefined) && barred)}
        {...(reason !== undefined && { 'aria-describedby': reasonId })}
      >
        {ButtonIcon && <ButtonIcon />}
        {children != null && <span className={css.label}>{children}</span>}
        {isBusy && (
          <span className={css.ring}>
            <Spinner />
            <VisuallyHidden>{text('busy')}</VisuallyHidden>
          </span>
        )}
      </AriaButton>
      {reason !== undefined && (
        <span hidden id={reasonId}>
          {reason}
        </span>
      )}
      {words !== undefined && bubble.isOpen && (
        <Suspense fallback={null}>
          <Hint anchor={button} placement={hintPlacement}>
            {words}
          </Hint>
        </Suspense>
      )}
    </>
  )
}
