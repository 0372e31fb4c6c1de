import { Suspense, lazy, useId, useRef, type ReactNode, type RefObject } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { buttonClass, type ButtonLook } from './button-class'
import type { Icon } from './icons'
import { Spinner } from './feedback/Spinner'
import { useUiText } from './ui-text'
import { useHint } from './overlays/use-hint'
import { VisuallyHidden } from './VisuallyHidden'
import css from './Button.module.css'

// The bubble brings the positioning of overlays along, which no page should have to wait for.
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
  /** A verb with its object: "Delete 3 volumes". */
  children?: ReactNode
  icon?: Icon | undefined
  className?: string | undefined
  /** Shows a ring over the words and takes no presses; the width stays. */
  isBusy?: boolean | undefined
  /** Out of reach without a word. Prefer `disabledBecause`. */
  isDisabled?: boolean | undefined
  /** Why it cannot be pressed now. The button stays in the tab order and tells this on hover, focus and press. */
  disabledBecause?: string | undefined
  /** What a press does then, in the place of telling the reason: it explains more of it. */
  onBarredPress?: (() => void) | undefined
  /** A bubble on hover and on focus by keyboard. `IconButton` shows its label so. */
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

  // Disabled for the person but not for the browser: keeps the focus and its place in the tab order, does nothing,
  // and does not submit a form either.
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
