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
  /** What opens it: a button of ui/. */
  button: ReactElement
  /** The menu or popover around that button; lazy. */
  children: (button: ReactElement) => ReactNode
  /** Fetches its code; begins when somebody is about to press. */
  load: () => Promise<unknown>
}

/**
 * A button whose menu or popover is fetched and made only when it is first wanted. Menus are the heaviest of all
 * primitives (27 kB br), a table has one on each row, and most are never opened.
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
      {/* oxlint-disable-next-line react/refs -- handed on, not read */}
      {children(cloneElement(button as ReactElement<Pressable>, { ref: anchor }))}
      <PressOnce anchor={anchor} as={wanted} />
    </Suspense>
  )
}

/** The press that asked for it came before there was anything to open. */
function PressOnce({ anchor, as }: { anchor: RefObject<HTMLButtonElement | null>; as: Press }) {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const button = anchor.current
    button?.focus()
    if (as === 'pointer') return button?.click()
    // a menu that was opened by a key has the focus on its first item, and keys go on from there
    for (const type of ['keydown', 'keyup'])
      button?.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }))
  }, [anchor, as])
  return null
}
