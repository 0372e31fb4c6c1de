import { afterAll, beforeAll, vi } from 'vitest'

/** Stubs the canvas for charts, because jsdom has none. All drawing calls are ignored. */
export function withCanvas(): void {
  beforeAll(() => {
    const context = new Proxy(
      {},
      { get: (kept: Record<string | symbol, unknown>, name) => kept[name] ?? (() => ({ width: 0 })), set: () => true },
    )
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never)
    vi.stubGlobal(
      'Path2D',
      class {
        moveTo() {}
        lineTo() {}
        rect() {}
        arc() {}
        closePath() {}
        addPath() {}
      },
    )
  })
  afterAll(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
}
