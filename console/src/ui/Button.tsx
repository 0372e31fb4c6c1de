import { Suspense, lazy, useId, useRef, useState, type ReactNode, type RefObject } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import type { Icon } from './icons'
import { buttonClass, type ButtonLook } from './button-class'
import { Spinner } from './Spinner'
import { useUiText } from './ui-text'
import { VisuallyHidden } from './VisuallyHidden'
import css from './Button.module.css'

// Tooltips bring the positioning of overlays along, which the sign-in page should not have to fetch.
const Hint = lazy(() => import('./Hint').then(({ Hint: component }) => ({ default: component })))

export interface ButtonProps
  extends ButtonLook, Omit<AriaButtonProps, 'children' | 'className' | 'isPending' | 'render' | 'isDisabled'> {
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
  ref,
  ...rest
}: ButtonProps) {
  const text = useUiText()
  const own = useRef<HTMLButtonElement>(null)
  const button = ref ?? own
  const reasonId = useId()
  const [isTold, setTold] = useState(false)
  const reason = isBusy ? undefined : disabledBecause

  // Disabled for the person but not for the browser: keeps the focus and its place in the tab order, does nothing,
  // and does not submit a form either.
  const barred: Partial<AriaButtonProps> = {
    type: 'button',
    render: (props) => <button {...props} aria-disabled="true" aria-busy={isBusy || undefined} />,
    onPress: () => reason && setTold(true),
    onPressStart: () => {},
    onPressEnd: () => {},
  }
  const telling: Partial<AriaButtonProps> = {
    'aria-describedby': reasonId,
    onHoverStart: () => setTold(true),
    onHoverEnd: () => setTold(false),
    onFocus: () => setTold(true),
    onBlur: () => setTold(false),
    onKeyDown: ({ key, continuePropagation }) => (key === 'Escape' && isTold ? setTold(false) : continuePropagation()),
  }

  return (
    <>
      <AriaButton
        {...rest}
        ref={button}
        isDisabled={isDisabled && !reason}
        className={buttonClass({ variant, size }, isBusy ? css.busy : undefined, className)}
        {...((isBusy || reason) && barred)}
        {...(reason && telling)}
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
      {reason && (
        <span hidden id={reasonId}>
          {reason}
        </span>
      )}
      {reason && isTold && (
        <Suspense fallback={null}>
          <Hint anchor={button}>{reason}</Hint>
        </Suspense>
      )}
    </>
  )
}
