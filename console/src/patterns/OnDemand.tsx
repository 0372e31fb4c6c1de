import {
  cloneElement,
  Suspense,
  useEffect,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from 'react'
import css from './OnDemand.module.css'

type Press = 'pointer' | 'keyboard'

interface Pressable {
  onPress?: (event: { pointerType: string }) => void
  ref?: RefObject<HTMLButtonElement | null>
}

interface OnDemandProps {
  /** The trigger, a button from ui/. */
  button: ReactElement
  /** Renders the lazy menu or popover around the trigger. */
  children: (button: ReactElement) => ReactNode
  /** Loads the code; called on hover or focus. */
  load: () => Promise<unknown>
}

/**
 * A button whose menu or popover is loaded and mounted on first use. Menus are the heaviest primitives (27 kB br),
 * tables have one per row, and most are never opened.
 */
export function OnDemand({ button, children, load }: OnDemandProps) {
  const [wanted, setWanted] = useState<Press>()
  const anchor = useRef<HTMLButtonElement>(null)
  const preload = () => void load().catch(() => {})
  const idle = (
    <span className={css.idle} onPointerOver={preload} onFocus={preload}>
      {cloneElement(button as ReactElement<Pressable>, {
        onPress: ({ pointerType }) => setWanted(pointerType === 'keyboard' ? 'keyboard' : 'pointer'),
      })}
    </span>
  )
  if (!wanted) return idle
  return (
    <Suspense fallback={idle}>
      {/* oxlint-disable-next-line react/refs -- passed on, not read */}
      {children(cloneElement(button as ReactElement<Pressable>, { ref: anchor }))}
      <PressOnce anchor={anchor} as={wanted} />
    </Suspense>
  )
}

/** Repeats the press that triggered the loading, once the menu exists. */
function PressOnce({ anchor, as }: { anchor: RefObject<HTMLButtonElement | null>; as: Press }) {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const button = anchor.current
    button?.focus()
    if (as === 'pointer') return button?.click()
    // when opened by keyboard, a menu moves the focus to its first item
    for (const type of ['keydown', 'keyup'])
      button?.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }))
  }, [anchor, as])
  return null
}
