/**
 * What the demo's courses hold: a line each for a course by its slug, below it a line for each section with its lessons.
 * A lesson that ends in * is a preview, in ? a quiz, in ~ a draft.
 */
export const outlines = `
clay-from-scratch
  The bag and the bench: What is in the bag * | Reclaiming scraps | Wedging and centring * | A bench that does not wobble | What you know about clay ?
  Opening the ball: Thumbs, then fingers * | A floor of one thickness | Why it went off centre | Cutting a pot in half
  Walls: Three pulls, no more | Leaning without collapsing | The rib and the sponge | A cylinder in one breath
  Ten pots: Bowls one to three | Cups four to six | The jar with a lid | The plate that warps | The tenth pot
  Drying and firing: Leather-hard, bone-dry | Trimming a foot | What a bisque kiln does | Before the first firing ?
glaze-chemistry-without-fear
  Sand that melts: Silica in one page * | Flux, the matchmaker * | Alumina holds it up | Reading a bag of frit | Weighing without sneezing
  Mixing: Sieves and buckets | Specific gravity with a jam jar | Dipping, pouring, brushing * | A log you will still read in a year | The bucket quiz ?
  Faults: Why glazes crawl | Pinholes and patience | Shivering is not crazing | Runs, drips and a kiln shelf | Rescue by a second firing
  Colour: Iron, from straw to black | Copper and its moods | Cobalt, a little of it | Layering two glazes | Ash from the stove ~
  Your own glaze: The line blend | The triaxial blend | Choosing from forty tiles | What melts, and when ?
indigo-and-madder
  The garden in winter: Seeds to order now * | Woad or indigo | Madder takes three years | Soil and lime
  The vat: A vat is alive * | Feeding and resting | Smell, skin and colour | Dipping and counting | When the vat goes quiet
  Mordants: Alum without haste | Iron saddens | Tannin first, on cotton | Testing on a ribbon | Which mordant for which cloth ?
  Cloth: Even colour on two metres | Resist with thread | Over-dyeing an old shirt | Washing it for years
bookbinding-five-structures
  Paper and thread: Grain direction * | Folding with a bone * | Linen, waxed | An awl and a cradle
  The pamphlet: Three holes | Five holes | A cover from a map | Kettle-stitch, slowly
  Long stitch: Slots in a leather spine | Even tension | Closing without glue | The thread quiz ?
  Coptic: Chains between sections | Boards with holes | It opens flat
  The case binding: Rounding the spine | Mull and paste | Covering in cloth | Casing in | Pressing overnight
  The box: Measuring a book, not a wish | Walls and hinge | Covering the box ~ | What holds a book together ?
sharp-hand-tool-basics
  An edge: Two planes that meet * | Stones: coarse, middle, fine * | Finding the burr | Stropping
  The plane: Taking one apart | Setting the iron | Shavings you can read | Flat, straight and out of wind
  Saws and chisels: Rip and crosscut | Starting on the line | Paring to a knife wall | Chopping a mortise | Sharpening a saw | The edge quiz ?
  One joint: Marking out | Sawing the tails | Fitting by the light | A joint that stays
the-slow-loaf
  A starter: Flour, water, a week * | Reading bubbles | A starter that sulks | Keeping it in the cold
  Dough: Baker's percentages * | Autolyse | Folding every half hour | The window test
  Shape and rest: Pre-shape | A tight skin | Baskets and cloths | Overnight in the cold | The timing quiz ?
  Fire: Steam in a home oven | Scoring with intent | Rye for the brave ~
drawing-weeds
  Looking: One leaf for an hour * | Measuring with a pencil | Negative spaces * | Where does it grow from
  Line: Pressure and speed | Veins without outlines | Roots, washed and pinned | Drawing what is behind
  Shade: Light from one side | Hatching that follows | Stippling a seed head | Ink over graphite
  The sheet: Arranging six weeds | Lettering the names | Pressing the model | Name that weed ?
mending-as-design
  Seeing the hole: What wears out first * | Darn, patch or leave it | Threads that match, or do not * | Washing before mending
  Darning: The mushroom | Over and under | A darn in two colours | Knitted cloth and duplicate stitch
  Patching: Patches on the outside | Hidden patches | Sashiko on knees and elbows | Leather, with a thimble | Stitches by sight ?
  A garment for longer: Turning a collar | New cuffs | A zip, at last | The mending basket
make-one-chair
  The drawing: One chair, full size * | Angles without numbers * | A list of parts | Choosing a log
  Green wood: Splitting along the grain * | The drawknife | Shaving legs to eight sides | Drying in the rafters | Turning or not turning
  The seat: Joining two boards | Hollowing with an adze | Travishers and spokeshaves | The edge under the knee | The seat quiz ?
  Sockets: Boring by eye | The reamer | Sighting lines | Testing with dowels | When a socket is off
  Legs and stretchers: Tapers that lock | Measuring between legs | Springing a stretcher | Glue, wedges, quick | Levelling on a flat floor
  The back: Steaming a bow | Bending in one minute | Spindles from scraps | Fitting the crest | Comfort, measured late
  Finish: Scraping, not sanding | Milk paint, two coats | Oil and wait ~ | Repairing your own chair ~ | The whole chair ?
workshop-safety
  Before anything: Shoes, hair, sleeves * | Where the switch is * | Dust is not weather | The first quiz ?
  When it happens: Cuts | Burns from wax, oil and iron | Who to call, and what to say | The second quiz ?
studio-business-basics
  What it costs: An hour of your hands * | Material, kiln and rent | A price that you can say aloud * | Discounts that hurt
  Selling: The table at the fair | Photographs by a window | Writing about a bowl | Orders with a deadline
  Papers: Receipts in a box | Invoices people pay | Insurance, plainly | Small studio, right numbers ?
  The year: Slow months | When to say no
kiln-diary
  Spring: Opening the door in March * | Cones that lied | Twelve mugs, eleven handles | A new thermocouple *
  Summer: Firing at night | The shelf that cracked | Red where green was planned | Reading the diary ?
  Winter: Wood ash from the neighbours | A slow cooling | What the year taught us | Plans for a second kiln ~
paper-marbling
  The bath: Moss, boiled and rested * | Skimming | Paint that floats * ~
  Patterns: Stones | The rake | Combs and peacocks
  Paper: Alum on both sides | Laying the sheet ~ | Hanging to dry ~
candle-season
  Wax: Bees, soy and tallow * | Melting without flames | Wicks by the millimetre
  Dipping: Twelve dips * | Straight, while it is warm | Two colours | The taper quiz ?
  Moulds: Tins and tubes | Letting go of the mould | Cracks and cold rooms | A box of candles in November
`
