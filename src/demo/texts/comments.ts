/** What people say under posts, lessons and events of the demo school. */
export const underPosts: readonly string[] = [
  'I read this twice and then went to look at my own shelf.',
  'This explains the umbrella stand. I had always wondered.',
  'Printed, and hung beside the sink.',
  'Mine did exactly the opposite, and I wrote it down this time.',
  'Please never stop writing these.',
  'I tried it on Sunday. It works if you wait longer than you want to.',
  'My grandmother did it with a saucer and no scale at all.',
  'Could you say how long "a while" is? I tend to make it ten minutes.',
  'The sentence about the voice going up made me laugh on the bus.',
  'I have the jumper with four darns. Five, since last week.',
  'Thank you for writing down what failed. Everybody else only shows the bowl.',
  'Does it also work in a room without heating?',
  'I will bring soup. There cannot be too much.',
  'I did not believe the part about the third day, and then came the third day.',
  'Where can one get this in small amounts? The shop wanted to sell me a sack.',
  'This is the reason why I joined.',
  'Left mine for eleven weeks as well. It lives.',
  'The chalk marks are still there, I checked.',
  'We read this aloud at home, in voices.',
  'It took me three evenings and a plaster. No regrets.',
  'I would not have dared without this. Now I have a grey one, and I am proud of it.',
  'Small correction from the paper room: two bricks and a half.',
  'Is there a version of this for people with no garden?',
  'I keep coming back to the list. Number four is me.',
  'Somebody should tell the neighbours about the smell.',
  'My starter and I feel understood.',
  'The cones were right in my case too.',
  'Could we have a picture of the failed ones? For courage.',
  'I have told three people about this and two of them have come.',
  'What a good reason to look at a car park.',
]

export const underLessons: readonly string[] = [
  'At what point do you know that it is centred? Mine feels right and looks wrong.',
  'I stopped the video four times, and then it worked.',
  'Is it normal that this takes me twice as long as it says?',
  'The trick with the scrap beside me helped a lot.',
  'I use a different clay. Should I wait longer?',
  'Finished. It is not pretty, but it stands.',
  'The sound goes away for a moment near the end.',
  'Could somebody explain the last step in other words?',
  'I made all three and kept all three, with the date on the back.',
  'My bench is too high for this. A crate helped.',
  'I got the second question wrong, and I still think that I was right.',
  'This is where I nearly gave up last year. Not this time.',
  'What do you do when it cracks at the rim?',
  'Leave the window closed while you do this. I know why I say so.',
  'Works with a left hand as well, if you turn the whole thing round.',
  'I did it with an old kitchen knife. I am sorry.',
  'How wet is "wet" here?',
  'The picture at two minutes is the best explanation that I have seen.',
  'It dried overnight, and that was too fast. Covered the next one with a bag.',
  'Came back to this after the next lesson, and now it makes sense.',
]

export const underEvents: readonly string[] = [
  'I can take two people along from the station.',
  'Is the back door open as well? I come with a bicycle.',
  'I had to give up my place. Somebody will be happy about it.',
  'Shall we bring our own mugs again?',
  'Is there a recording for those of us with small children?',
  'It was lovely. My daughter now wants a kiln.',
  'Thank you for the soup and for the honest answers.',
  'How far is the walk? My knees ask.',
]

export const answers: readonly string[] = [
  'Wetter than you think, and then a little less. Send me a picture.',
  'Good question. I will add a line about it to the lesson.',
  'Twice as long is right. The times are those of somebody who has done it for nine years.',
  'Look at the profile and not from above: then you see it.',
  'Yes, also without heating. It only becomes slower, and slow is good.',
  'Put it under a bag, one corner open. It should take three days.',
  'That is the usual place for it. Compress the rim before you dry it.',
  'We had that too. Start again from the middle, and not from the edge.',
  'The back door is open from half past five.',
  'Bring it on Thursday and we look at it together.',
]

export const agreements: readonly string[] = [
  'Same here.',
  'That helped me as well, thank you.',
  'I asked myself the same thing.',
  'It gets better with the fourth one.',
  'Try it with less water.',
  'I can confirm the smell.',
]

/** What waits for somebody to read it, or was hidden: none of it is nice, and none of it is worse than that. */
export const doubtful: readonly string[] = [
  'Great offer on second-hand kilns, write to me at the address in my profile.',
  'First!',
  'You can get all of this cheaper elsewhere.',
  'Selling two tickets for something else entirely.',
  'Has anybody seen my blue apron? Sorry if this is the wrong place.',
  'I disagree with everything above, and at some length.',
]
