import { hasPixel } from './screen-font'

export interface Area {
  x: number
  y: number
  width: number
  height: number
}

const cell = { width: 12, height: 18, scale: 2 }
const colour = { back: 0x14_20_2e, bar: 0x25_4a_78, text: 0xe6_ed_f5, square: 0xf2_a9_3b }
const barHeight = 32

/** The picture of a simulated machine: its name, a square that moves, and what was typed. */
export class Screen {
  readonly width = 640
  readonly height = 400
  /** 0xRRGGBB for each pixel. */
  readonly pixels = new Uint32Array(640 * 400)
  readonly #columns = Math.floor(640 / cell.width) - 1
  readonly #rows = Math.floor((400 - barHeight) / cell.height)
  #lines: string[] = []
  #step = 0

  constructor(name: string) {
    this.#fill({ x: 0, y: 0, width: this.width, height: this.height }, colour.back)
    this.#fill({ x: 0, y: 0, width: this.width, height: barHeight }, colour.bar)
    this.#write(`${name} (simulated)`.slice(0, 40), 8, 8)
    this.#lines = ['Nothing runs here; what you type is echoed.', '', '$ ']
    this.tick()
    this.#drawText()
  }

  /** Moves the square on; the area that changed. */
  tick(): Area {
    this.#step++
    const lane = { x: 520, y: 4, width: 112, height: 24 }
    this.#fill(lane, colour.bar)
    this.#fill(
      { x: lane.x + ((this.#step * 8) % (lane.width - 16)), y: lane.y + 4, width: 16, height: 16 },
      colour.square,
    )
    return lane
  }

  /** A key as X11 names it was pressed; the area that changed, null when none did. */
  press(keysym: number): Area | null {
    const last = this.#lines.pop() ?? ''
    if (keysym === 0xff_0d || keysym === 0xff_8d) this.#lines.push(last, '$ ')
    else if (keysym === 0xff_08) this.#lines.push(last.length > 2 ? last.slice(0, -1) : last)
    else if (keysym < 0x20 || keysym > 0x7e) {
      this.#lines.push(last)
      return null
    } else if (last.length >= this.#columns) this.#lines.push(last, String.fromCharCode(keysym))
    else this.#lines.push(last + String.fromCharCode(keysym))
    this.#lines = this.#lines.slice(-this.#rows)
    return this.#drawText()
  }

  #drawText(): Area {
    const area = { x: 0, y: barHeight, width: this.width, height: this.height - barHeight }
    this.#fill(area, colour.back)
    this.#lines.forEach((line, row) => this.#write(line, 8, barHeight + 4 + row * cell.height))
    const last = this.#lines.length - 1
    const cursorX = 8 + (this.#lines[last]?.length ?? 0) * cell.width
    this.#fill({ x: cursorX, y: barHeight + 4 + last * cell.height, width: 10, height: 14 }, colour.text)
    return area
  }

  #write(text: string, x: number, y: number): void {
    for (let at = 0; at < text.length; at++) {
      const character = text.charCodeAt(at)
      for (let column = 0; column < 5; column++) {
        for (let line = 0; line < 8; line++) {
          if (!hasPixel(character, column, line)) continue
          const left = x + at * cell.width + column * cell.scale
          this.#fill({ x: left, y: y + line * cell.scale, width: cell.scale, height: cell.scale }, colour.text)
        }
      }
    }
  }

  #fill({ x, y, width, height }: Area, value: number): void {
    const right = Math.min(this.width, x + width)
    for (let line = y; line < Math.min(this.height, y + height); line++) {
      this.pixels.fill(value, line * this.width + x, line * this.width + right)
    }
  }
}
